import { type DropReason, dropReasons } from '../shared/drop-reasons.ts';
import type { About, Silence } from './explain.ts';

const silences: Record<Silence, () => string> = {
  hidden: () => 'waits until somebody sees the page, which is in the background or prerendered',
  ignored: () => "is not sent, as localStorage['headcount.ignore'] of this site leaves you out",
  unwanted: () =>
    /^h/.test(location.protocol)
      ? 'is not sent, as your browser asks not to be counted (Global Privacy Control or Do Not Track) and the script’s line has data-respect-gpc'
      : 'is not sent, as pages that did not come from a web server are never counted',
  manual: () => 'the script’s line has data-manual, so nothing is counted until the page calls headcount()',
  twice: () => 'another script’s line of this page counts for the project already, so this one does nothing',
};

function describeDrop(reason: string): string {
  if (reason === 'bot' && navigator.webdriver) {
    return 'a program drives this browser, as navigator.webdriver says, and the page shows no mark of an AI agent';
  }
  return reason in dropReasons ? dropReasons[reason as DropReason].inConsole : reason;
}

let last = '';

function say(text: string, method: 'info' | 'warn' = 'warn'): void {
  last = text;
  // biome-ignore lint/suspicious/noConsole: it is what this file is for
  console[method](`Headcount: ${text}.`);
}

/** Says in the console what becomes of views and events; what does not change, once. */
export async function explain(outcome: Silence | Response | Error, about?: About): Promise<void> {
  const { page = '', event } = about ?? {};
  const what = event
    ? `the event “${event}” of ${page}`
    : `the view of ${page || 'an AI agent that has come to the page'}`;
  if (typeof outcome === 'string') {
    const text = silences[outcome]();
    const line = about ? `${what} ${text}` : text;
    // A page is looked at each second, also where nothing is due.
    if (line !== last && (page || !about)) say(line);
  } else if (outcome instanceof Response) {
    const trouble = await troubleWith(outcome);
    say(`${what} ${trouble ?? 'is counted'}`, trouble ? 'warn' : 'info');
  } else if (about) {
    say(
      `${what} could not be sent (${outcome}): a blocker or the page’s Content-Security-Policy (connect-src) may stand in the way, or the server is not to be reached; the network panel shows which`,
    );
  } else say(`the script does nothing (${outcome})`);
}

/** What is wrong with the answer to a hit. */
async function troubleWith(answer: Response): Promise<string | undefined> {
  const dropped = answer.headers.get('X-Headcount-Dropped');
  if (dropped) return `is not counted: ${describeDrop(dropped)}`;
  if (answer.status === 202) return undefined;
  const { error } = await answer.json().catch(() => ({}));
  if (error) return `is refused (${answer.status}): ${String(error).replace(/\.$/, '')}`;
  return `was answered ${answer.status} by something that is not Headcount at ${answer.url}; data-endpoint names another address`;
}
