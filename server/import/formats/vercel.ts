import { bytesOf, isObject, jsonParser, numberOf, textOf } from './json-line.ts';
import { parseTime } from './time.ts';

/**
 * What Vercel's log drains send, a JSON object a line (https://vercel.com/docs/drains/reference/logs). A request has
 * one line from the proxy and perhaps more from functions, all with its id.
 */
export const vercelParser = () =>
  jsonParser((line, entry) => {
    const { proxy } = line;
    if (!isObject(proxy)) return false;
    entry.at = parseTime(proxy.timestamp ?? line.timestamp);
    entry.address = textOf(proxy.clientIp);
    entry.method = textOf(proxy.method);
    entry.target = textOf(proxy.path);
    // -1: a page made anew in the background, which nobody asked for.
    entry.status = numberOf(proxy.statusCode ?? line.statusCode);
    entry.bytes = bytesOf(proxy.responseByteSize);
    entry.host = textOf(proxy.host);
    entry.secure = proxy.scheme !== 'http';
    entry.userAgent = textOf(proxy.userAgent);
    entry.referrer = textOf(proxy.referer);
    entry.requestId = textOf(line.requestId);
    return true;
  });
