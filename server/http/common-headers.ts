import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdField, requestIdOf, withRequestId } from './request-id.ts';
import type { SetupNotice } from './setup-notice.ts';

/** Headers of every response except those to hits; and checks of every request. */
export function withCommonHeaders(
  { setupNotice }: { setupNotice: SetupNotice },
  req: IncomingMessage,
  res: ServerResponse,
  answer: () => void,
): void {
  const id = requestIdOf(req.headers['x-request-id']);
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader(requestIdField, id);
  withRequestId(id, () => {
    setupNotice.request(req);
    answer();
  });
}
