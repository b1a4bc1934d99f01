/** `completion`: the commands, options and choices there are, as a script of a shell. Made from the commands themselves. */

import type { Command } from 'commander';
import type { Run } from '../../define.js';
import { scripts, type Place, type Shell } from './scripts.js';

export const completion =
  (program: Command): Run<object> =>
  async ({ io }, _options, shell: Shell) =>
    io.stdout.write(scripts[shell](placesOf(program)));

/** Every command with what may follow it. */
function placesOf(command: Command, path: readonly string[] = []): Place[] {
  const help = command.createHelp();
  const options = help
    .visibleOptions(command)
    .flatMap(({ short, long, description, argChoices, required, optional }) => {
      const names = [short, long].filter((name) => name !== undefined);
      const value = required ? 'needed' : optional ? 'possible' : 'none';
      return [{ names, description, choices: argChoices ?? [], value } as const];
    });
  const place: Place = {
    path: path.join(' '),
    commands: help.visibleCommands(command).map((sub) => ({ name: sub.name(), description: sub.description() })),
    options,
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [place, ...command.commands.flatMap((sub) => placesOf(sub, [...path, sub.name()]))];
}
