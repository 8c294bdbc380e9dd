/** For a text that stands between marks such as `<page>` and `</page>`: neither of them can be spelt inside. */
export function withoutMark(text: string, mark: string): string {
  return text.replace(new RegExp(`<(?=\\s*/?\\s*${mark})`, 'gi'), '‹');
}
