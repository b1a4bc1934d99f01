/**
 * Tool names in rules: a name, or a pattern in which `*` stands for any characters. Pure; linear in both texts.
 */

/** Whether `name` is what `pattern` means, all of it. Case counts. */
export function matchesName(pattern: string, name: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === name;
  const tail = rest.pop()!;
  if (!name.startsWith(head) || !name.endsWith(tail) || name.length < head.length + tail.length) return false;
  const end = name.length - tail.length;
  let from = head.length;
  for (const piece of rest) {
    const at = name.indexOf(piece, from);
    if (at === -1 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}
