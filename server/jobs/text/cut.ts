/** At the end of a word, with an ellipsis. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const room = text.slice(0, maxLength - 1).toWellFormed();
  const atWord = room.replace(/\s+\S*$/, '');
  return `${atWord.length > maxLength / 2 ? atWord : room}…`;
}
