/** Completion scripts. Each finds the command by the words typed so far, then offers what may follow it. Pure. */

export type PlaceOption = {
  names: readonly string[];
  description: string;
  choices: readonly string[];
  value: 'needed' | 'possible' | 'none';
};

export type Place = {
  /** `runs list`; empty for the program itself. */
  path: string;
  commands: readonly { name: string; description: string }[];
  options: readonly PlaceOption[];
  /** Of the arguments. */
  choices: readonly string[];
};

export type Shell = 'bash' | 'zsh' | 'fish';

const words = ({ commands, options, choices }: Place): string =>
  [...commands.map(({ name }) => name), ...choices, ...options.flatMap(({ names }) => names)].join(' ');

/** Patterns of `<path so far> <next word>` that lead one command further. */
const steps = (places: readonly Place[]): string =>
  places.flatMap(({ path, commands }) => commands.map(({ name }) => `"${path} ${name}"`)).join('|');

const cases = (places: readonly Place[]): string =>
  places.map((place) => `    "${place.path}") candidates="${words(place)}" ;;`).join('\n');

/** `-o` means one thing wherever it is: options with choices are told apart by name alone. */
function values(places: readonly Place[]): string {
  const found = new Map<string, string>();
  for (const { options } of places) {
    for (const { names, choices, value } of options) {
      if (choices.length > 0 && value === 'needed') found.set(names.join('|'), choices.join(' '));
    }
  }
  return [...found].map(([names, choices]) => `    ${names}) candidates="${choices}" ;;`).join('\n');
}

const bash = (places: readonly Place[]): string => `# bash completion of agent-server
_agent_server() {
  local word at="" candidates="" cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
      ${steps(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases(places)}
  esac
  case "$prev" in
${values(places)}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$cur"))
}
complete -o default -F _agent_server agent-server
`;

const zsh = (places: readonly Place[]): string => `#compdef agent-server
_agent_server() {
  local word at="" candidates="" i
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "$at $word" in
      ${steps(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases(places)}
  esac
  case "\${words[CURRENT-1]}" in
${values(places)}
  esac
  compadd -- \${=candidates}
}
compdef _agent_server agent-server
`;

const quoted = (text: string): string => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, choices }) => {
    const here = `complete -c agent-server -f -n ${quoted(`test (__agent_server_at) = "${path}"`)}`;
    return [
      ...commands.map(({ name, description }) => `${here} -a ${name} -d ${quoted(description)}`),
      ...choices.map((choice) => `${here} -a ${choice}`),
      ...options.map((option) => `${here} ${fishOption(option)}`),
    ];
  });
  const known = places.flatMap(({ path, commands }) => commands.map(({ name }) => quoted(`${path} ${name}`))).join(' ');
  return `# fish completion of agent-server
function __agent_server_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    if contains -- "$at $word" ${known}
      set at (string trim -- "$at $word")
    end
  end
  echo "$at"
end
${lines.join('\n')}
`;
}

function fishOption({ names, description, choices, value }: PlaceOption): string {
  const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const argument = value === 'needed' ? ['-r'] : [];
  const offered = choices.length > 0 ? [`-a ${quoted(choices.join(' '))}`] : [];
  return [...spelled, ...argument, ...offered, `-d ${quoted(description)}`].join(' ');
}

export const scripts: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish };
