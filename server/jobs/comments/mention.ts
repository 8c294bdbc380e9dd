import { readInThread } from '../site/check/checks.ts';
import { type Request, readRequest } from '../text/request.ts';

/** Letters that a parser reads in some milliseconds, whatever they are. */
const longestHere = 4_000;

/** Long comments are read in a thread. */
export async function findRequest(comment: string, mention: string): Promise<Request | undefined> {
  if (!comment.toLowerCase().includes(`@${mention.toLowerCase()}`)) return undefined;
  if (comment.length <= longestHere) return readRequest(comment, mention);
  const [found] = await readInThread<Request>({ read: 'request', text: comment, mention });
  return found;
}
