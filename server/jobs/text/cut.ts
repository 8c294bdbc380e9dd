/** At the end of a word, with an ellipsis. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const room = text.slice(0, maxLength - 1).toWellFormed();
  let end = room.length;
  while (end > 0 && /\S/.test(room.charAt(end - 1))) end--;
  const atWord = end === 0 ? room : room.slice(0, end).trimEnd();
  return `${atWord.length > maxLength / 2 ? atWord : room}…`;
}
