import { bytesOf, headersOf, isObject, jsonParser, numberOf, textOf } from './json-line.ts';
import { parseTime } from './time.ts';

/**
 * Cloudflare Logpush, dataset http_requests
 * (https://developers.cloudflare.com/logs/logpush/logpush-job/datasets/zone/http_requests/).
 */
export const cloudflareParser = () =>
  jsonParser((line, entry) => {
    entry.at = parseTime(line.EdgeStartTimestamp ?? line.EdgeEndTimestamp);
    entry.address = textOf(line.ClientIP);
    entry.method = textOf(line.ClientRequestMethod);
    entry.target = textOf(line.ClientRequestURI) || textOf(line.ClientRequestPath);
    entry.status = numberOf(line.EdgeResponseStatus);
    entry.bytes = bytesOf(line.EdgeResponseBytes);
    entry.host = textOf(line.ClientRequestHost);
    entry.secure = line.ClientRequestScheme === 'https';
    entry.userAgent = textOf(line.ClientRequestUserAgent);
    entry.referrer = textOf(line.ClientRequestReferer);
    entry.contentType = textOf(line.EdgeResponseContentType);
    if (isObject(line.RequestHeaders)) entry.headers = headersOf(line.RequestHeaders);
    return true;
  });
