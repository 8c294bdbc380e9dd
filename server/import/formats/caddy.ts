import { bytesOf, headersOf, isObject, jsonParser, numberOf, textOf } from './json-line.ts';
import { parseTime } from './time.ts';

/** Caddy's access log (https://caddyserver.com/docs/caddyfile/directives/log): JSON, request headers included. */
export const caddyParser = () =>
  jsonParser((line, entry) => {
    const { request } = line;
    if (!isObject(request)) return false;
    entry.at = parseTime(line.ts);
    // Behind trusted proxies the client is not the peer; before 2.7 Caddy knew of peers only.
    entry.address =
      textOf(request.client_ip) || textOf(request.remote_ip) || peerOf(textOf(request.remote_addr));
    entry.method = textOf(request.method);
    entry.target = textOf(request.uri);
    entry.status = numberOf(line.status);
    entry.bytes = bytesOf(line.size);
    entry.host = textOf(request.host);
    entry.secure = isObject(request.tls);
    entry.headers = headersOf(request.headers);
    entry.userAgent = entry.headers?.['user-agent'] ?? '';
    entry.referrer = entry.headers?.referer ?? '';
    entry.contentType = headersOf(line.resp_headers)?.['content-type'] ?? '';
    return true;
  });

/** Up to 2.4: address and port in one. */
function peerOf(text: string): string {
  return text.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}
