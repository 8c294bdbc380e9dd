import { type EdgeAnswer, findChallenge } from './challenge-marks.ts';

export type ProbeOutcome = 'open' | 'challenged' | 'blocked' | 'inconclusive';

export interface ProbeVerdict {
  outcome: ProbeOutcome;
  /** Null: there was no answer. */
  status: number | null;
  why: string;
}

/** No answer: the other side ended the connection, or it is not known why. */
interface NoAnswer {
  isRefused: boolean;
  reason: string;
}

export type EdgeReply = EdgeAnswer | NoAnswer;

const refusals: Readonly<Record<number, string>> = {
  401: 'It asks for a password (401).',
  402: 'It asks for payment (402).',
  403: 'It is refused (403).',
  404: 'It is told that there is no such page (404).',
  405: 'Its way of asking is refused (405).',
  406: 'It is told that there is nothing for it (406).',
  410: 'It is told that the page is gone (410).',
  418: 'It is refused (418).',
  429: 'It is told that it asks too often (429), though it asked once.',
  451: 'It is refused for legal reasons (451).',
};

/** A browser has nobody to be compared with. */
export function judgeBrowser(reply: EdgeReply): ProbeVerdict {
  return judge(reply);
}

/** What the edge makes of a client, against what it makes of a browser. */
export function judgeClient(
  reply: EdgeReply,
  browser: { reply: EdgeReply; verdict: ProbeVerdict },
): ProbeVerdict {
  const usual = browser.verdict.outcome === 'open' && 'status' in browser.reply ? browser.reply : undefined;
  const verdict = judge(reply, usual);
  if (usual || verdict.outcome === 'open') return verdict;
  return {
    ...verdict,
    outcome: 'inconclusive',
    why: `${verdict.why} But the browser of this probe was not let in either.`,
  };
}

function judge(reply: EdgeReply, usual?: EdgeAnswer): ProbeVerdict {
  if (!('status' in reply)) {
    return { outcome: reply.isRefused ? 'blocked' : 'inconclusive', status: null, why: reply.reason };
  }
  const { status } = reply;
  const challenger = findChallenge(reply, usual);
  if (challenger) {
    return {
      outcome: 'challenged',
      status,
      why: `${challenger} asks it to prove that it is a person (${status}).`,
    };
  }
  const refusal = refusals[status];
  if (refusal) return { outcome: 'blocked', status, why: refusal };
  if (status >= 200 && status < 300) return compare(reply, usual);
  const why =
    status >= 300 && status < 400 ? `It is sent elsewhere (${status}).` : `The site failed (${status}).`;
  return { outcome: 'inconclusive', status, why };
}

function compare(reply: EdgeAnswer, usual: EdgeAnswer | undefined): ProbeVerdict {
  const { status } = reply;
  if (usual === undefined) return { outcome: 'open', status, why: 'It gets the page.' };
  if (/markdown|text\/plain/.test(String(reply.headers['content-type'])))
    return { outcome: 'open', status, why: 'It gets the page as plain text.' };
  if (isAlike(reply.body, usual.body))
    return { outcome: 'open', status, why: 'It gets the same page as a browser.' };
  return {
    outcome: 'inconclusive',
    status,
    why: `It gets another page than a browser (${reply.body.length} characters, not ${usual.body.length}).`,
  };
}

/** Pages change from one request to the next, and challenges that nobody knows are short and have other words. */
const leastShare = 0.5;

function isAlike(one: string, other: string): boolean {
  if (one === other) return true;
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const larger = Math.max(words.size, others.size);
  if (larger === 0) return true;
  return [...words].filter((word) => others.has(word)).length / larger >= leastShare;
}

/** Of what is seen. */
function wordsOf(html: string): Set<string> {
  const text = html
    .replace(/<(script|style|noscript)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .toLowerCase();
  return new Set(text.match(/[\p{L}\p{N}]{2,}/gu) ?? []);
}
