/** The beginning of a text, with a mark where the rest was left out; the mark counts on top. */
export function excerpt(text: string, maxLength: number, mark = '…'): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}${mark}` : text;
}
