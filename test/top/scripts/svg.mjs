/** A screen with its colours as a picture. Pure. */

const CELL = { width: 8.4, height: 18 };
const MARGIN = 14;
const BACKGROUND = '#10151c';
const TEXT = '#d7dee7';
const colors = { 31: '#ff6b6b', 32: '#5fd787', 33: '#ffd166', 34: '#6cb6ff', 35: '#d2a8ff', 36: '#56d4dd' };

const ESC = String.fromCharCode(27);
const LOOK = new RegExp(`(${ESC}\\[[\\d;]*m)`);

const escaped = (text) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replaceAll(' ', '\u00a0');

/** The pieces of a line that look alike: `{text, x, look}`. */
function pieces(line, look) {
  const found = [];
  let x = 0;
  for (const part of line.split(LOOK)) {
    const codes = part.startsWith(ESC) ? part.slice(2, -1) : undefined;
    if (codes === undefined) {
      // Words by their places: blanks between them are no text.
      for (const { 0: text, index } of part.matchAll(look.inverse ? /.+/g : /\S+(?: \S+)*/g))
        found.push({ text, x: x + [...part.slice(0, index)].length, look: { ...look } });
      x += [...part].length;
      continue;
    }
    for (const code of (codes || '0').split(';').map(Number)) apply(look, code);
  }
  return found;
}

function apply(look, code) {
  if (code === 0) Object.assign(look, { color: undefined, bold: false, dim: false, italic: false, inverse: false });
  else if (code === 1) look.bold = true;
  else if (code === 2) look.dim = true;
  else if (code === 3) look.italic = true;
  else if (code === 7) look.inverse = true;
  else if (code === 22) Object.assign(look, { bold: false, dim: false });
  else if (code === 23) look.italic = false;
  else if (code === 27) look.inverse = false;
  else if (code === 39) look.color = undefined;
  else if (code in colors) look.color = colors[code];
}

/** @param {string} screen rows with ANSI looks @param {number} columns */
export function toSvg(screen, columns) {
  const rows = screen.trimEnd().split('\n');
  const width = Math.round(columns * CELL.width + 2 * MARGIN);
  const height = rows.length * CELL.height + 2 * MARGIN;
  const look = {};
  const body = rows.flatMap((row, y) => pieces(row, look).map((piece) => draw(piece, y)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="agent-server top">`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" xml:space="preserve">`,
    ...body,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function draw({ text, x, look }, y) {
  const left = (MARGIN + x * CELL.width).toFixed(1);
  const top = MARGIN + y * CELL.height;
  const length = ([...text].length * CELL.width).toFixed(1);
  const color = look.inverse ? BACKGROUND : (look.color ?? TEXT);
  const style = [
    `fill="${color}"`,
    ...(look.bold ? ['font-weight="bold"'] : []),
    ...(look.dim ? ['opacity="0.55"'] : []),
    ...(look.italic ? ['font-style="italic"'] : []),
  ].join(' ');
  const box = look.inverse
    ? `<rect x="${left}" y="${top}" width="${length}" height="${CELL.height}" fill="${TEXT}"/>`
    : '';
  if (text.trim() === '') return box;
  // Each piece is told its length: whatever font is there, the columns stay columns.
  return `${box}<text x="${left}" y="${top + 13}" textLength="${length}" lengthAdjust="spacingAndGlyphs" ${style}>${escaped(text)}</text>`;
}
