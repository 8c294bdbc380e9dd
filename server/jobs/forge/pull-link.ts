/** Of a pull request, by its address. */
export function numberInLink(link: string | null): number | undefined {
  const number = Number(/\/(\d+)$/.exec(link ?? '')?.[1]);
  return Number.isSafeInteger(number) ? number : undefined;
}
