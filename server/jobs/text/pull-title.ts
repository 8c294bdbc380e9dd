const mark = /^[*_`> ]{0,4}pull request(?: title)?:[*_` ]{0,4}(?=\S)/i;
const maxLength = 200;

/** What the last line of an agent's summary calls the whole pull request, and the summary without it. */
export function splitPullTitle(summary: string): { summary: string; pullTitle: string | undefined } {
  const text = summary.trimEnd();
  const start = text.lastIndexOf('\n') + 1;
  const line = text.slice(start);
  if (start === 0 || !mark.test(line)) return { summary, pullTitle: undefined };
  return { summary: text.slice(0, start).trimEnd(), pullTitle: line.replace(mark, '').slice(0, maxLength) };
}

/** For an agent that goes on with a pull request. */
export function askForPullTitle(title: string): string {
  return `You go on with a pull request that is open. Its title is ${JSON.stringify(title)}. Title and summary of your answer are about this
message alone. If the title is not true of all that the pull request changes once you are done, end your answer with one more line:
"Pull request: " and a title of at most 70 characters for the whole of it.`;
}
