/** New names of one kind that a project may take in on a day; further ones are counted together. */
export const maxNewNamesPerDay = 10_000;
export const otherName = '(other)';

/**
 * The name that a text counts under which the project has no name for yet. What falls under the cap today may get a name
 * of its own tomorrow, so it must not be remembered.
 *
 * @param newNames how many of its kind the day has taken in; `otherName` is not one of them
 */
export function admitName(text: string, newNames: number): string {
  return newNames < maxNewNamesPerDay ? text : otherName;
}
