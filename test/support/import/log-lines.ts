import { aiClient, bot, otherPerson, person } from './import-run.ts';

/** A request as any server could log it. */
export interface LoggedLine {
  /** In Unix milliseconds. */
  at: number;
  ip: string;
  method: string;
  /** With the query. */
  path: string;
  status: number;
  bytes: number;
  referrer: string;
  userAgent: string;
}

const startAt = Date.UTC(2026, 2, 1, 10);
const oddPerson = 'Mozilla/5.0 (X11; "odd" Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

type Given = [path: string, userAgent?: string, changes?: Partial<LoggedLine>];

/** People, AI, bots, what pages are made of, other methods and statuses, IPv6, queries and escapes. */
const given: Given[] = [
  ['/', person, { referrer: 'https://www.google.com/search?q=a+b' }],
  ['/style.css', person, { referrer: 'https://example.com/' }],
  ['/img/logo.png?v=2', person, { referrer: 'https://example.com/' }],
  ['/docs?utm_source=news', person],
  ['/docs/caf%C3%A9', person, { ip: '2001:db8::7' }],
  ['/docs/caf%C3%A9?x=%22y%22&z=a|b', person, { ip: '2001:db8::7' }],
  ['/pricing', otherPerson, { ip: '198.51.100.2', referrer: 'https://duckduckgo.com/' }],
  ['/pricing?plan=a%20b', otherPerson, { ip: '198.51.100.3' }],
  ['/about', oddPerson, { ip: '198.51.100.4' }],
  ['/about', person, { ip: '198.51.100.5', status: 304, bytes: 0 }],
  ['/about', person, { ip: '198.51.100.5', method: 'HEAD', bytes: 0 }],
  ['/', aiClient, { ip: '198.51.100.20' }],
  ['/docs', aiClient, { ip: '198.51.100.20' }],
  ['/docs/caf%C3%A9', aiClient, { ip: '2001:db8:1::20' }],
  ['/', bot, { ip: '198.51.100.30' }],
  ['/docs', bot, { ip: '198.51.100.30' }],
  ['/robots.txt', bot, { ip: '198.51.100.30' }],
  ['/', person, { method: 'POST' }],
  ['/api', person, { method: 'OPTIONS', status: 204 }],
  ['/missing', person, { status: 404 }],
  ['/old', person, { status: 301 }],
  ['/broken', person, { status: 500 }],
];

export const lines: LoggedLine[] = given.map(([path, userAgent = person, changes], i) => ({
  at: startAt + i * 1000,
  ip: '198.51.100.1',
  method: 'GET',
  path,
  status: 200,
  bytes: 5120,
  referrer: '',
  userAgent,
  ...changes,
}));

const two = (value: number) => String(value).padStart(2, '0');
const date = ({ at }: LoggedLine) => new Date(at).toISOString().slice(0, 10);
const clock = ({ at }: LoggedLine) => new Date(at).toISOString().slice(11, 19);
const iso = ({ at }: LoggedLine) => new Date(at).toISOString();
const local = (line: LoggedLine) => `${two(new Date(line.at).getUTCDate())}/Mar/2026:${clock(line)} +0000`;
const or = (text: string) => text || '-';
const escaped = (text: string) => or(text.replace(/["\\]/g, '\\$&'));
const plus = (text: string) => or(text.replaceAll(' ', '+'));
const percent = (text: string) => or(text.replace(/[ "%]/g, encodeURIComponent));
const csv = (text: string) => `"${text.replaceAll('"', '""')}"`;
const stem = ({ path }: LoggedLine) => path.split('?', 1)[0] as string;
const query = ({ path }: LoggedLine) => path.split('?')[1] ?? '';
const withPort = (ip: string) => (ip.includes(':') ? `[${ip}]:4711` : `${ip}:4711`);
const request = ({ method, path }: LoggedLine) => `${method} ${path} HTTP/1.1`;
const url = ({ path }: LoggedLine) => `https://example.com${path}`;

export function combinedLine(line: LoggedLine): string {
  const { ip, status, bytes, referrer, userAgent } = line;
  return `${ip} - - [${local(line)}] "${request(line)}" ${status} ${bytes} "${escaped(referrer)}" "${escaped(userAgent)}"`;
}

/** A format after its maker's documentation. */
export interface WrittenFormat {
  name: string;
  /** Another name than the first word of `name` for `--format`. */
  format: string;
  /** Before the first line. */
  head?: string[];
  line(line: LoggedLine): string;
  lacksReferrers?: boolean;
}

const json = (of: (line: LoggedLine) => object) => (line: LoggedLine) => JSON.stringify(of(line));
const rest = (line: LoggedLine) => combinedLine(line).slice(line.ip.length);

export const writtenFormats: WrittenFormat[] = [
  { name: 'nginx combined', format: 'combined', line: combinedLine },
  {
    name: "nginx's main behind nothing",
    format: 'combined',
    line: (line) => `${combinedLine(line)} "-"`,
  },
  {
    name: 'Squid as an accelerator, combined',
    format: 'combined',
    line: (line) =>
      `${combinedLine(line).replace(` ${line.path} `, () => ` ${url(line)} `)} TCP_MISS:HIER_DIRECT`,
  },
  {
    name: 'Apache vhost_combined',
    format: 'apache',
    line: (line) => `example.com:443 ${combinedLine(line)}`,
  },
  { name: 'lighttpd', format: 'lighttpd', line: (line) => `${line.ip} example.com${rest(line).slice(2)}` },
  { name: 'OVH', format: 'ovh', line: (line) => `${line.ip} www.example.com${rest(line).slice(2)}` },
  {
    name: 'Gandi',
    format: 'gandi',
    line: (line) => `example.com ${combinedLine(line).replace('] "', '] (0 s) "')}`,
  },
  {
    name: 'AWS Application Load Balancer',
    format: 'alb',
    lacksReferrers: true,
    line: (line) =>
      `h2 ${iso(line).replace('Z', '456Z')} app/site/50dc6c495c0c9188 ${withPort(line.ip)} 10.0.1.7:80 0.000 0.002 0.000 ${line.status} ${line.status} 257 ${line.bytes} "${line.method} https://example.com:443${line.path} HTTP/2.0" "${escaped(line.userAgent)}" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/site/73e2d6bc24d8a067 "Root=1-58337327-72bd00b0343d75b906739c42" "example.com" "arn:aws:acm:eu-west-1:123456789012:certificate/1" 1 ${iso(line)} "forward" "-" "-" "10.0.1.7:80" "${line.status}" "-" "-" TID_1`,
  },
  {
    name: 'AWS Application Load Balancer without a target',
    format: 'alb',
    lacksReferrers: true,
    line: (line) =>
      `http ${iso(line)} app/site/50dc6c495c0c9188 ${withPort(line.ip)} - -1 -1 -1 ${line.status} - 0 ${line.bytes} "${line.method} http://example.com:80${line.path} HTTP/1.1" "${escaped(line.userAgent)}" - - - "-" "-" "-" - ${iso(line)} "fixed-response" "-" "-" "-" "-" "-" "-"`,
  },
  {
    name: 'AWS Classic Load Balancer',
    format: 'elb',
    lacksReferrers: true,
    line: (line) =>
      `${iso(line)} my-loadbalancer ${withPort(line.ip)} 10.0.0.1:80 0.000073 0.001048 0.000057 ${line.status} ${line.status} 0 ${line.bytes} "${line.method} http://example.com:80${line.path} HTTP/1.1" "${escaped(line.userAgent)}" - -`,
  },
  {
    name: 'Amazon S3',
    format: 's3',
    line: (line) =>
      `79a59df900b949e5 example.com [${local(line)}] ${line.ip} - 3E57427F3EXAMPLE WEBSITE.GET.OBJECT ${or(stem(line).slice(1))} "${request(line)}" ${line.status} - ${line.bytes} ${line.bytes} 7 5 "${or(line.referrer)}" "${line.userAgent.replaceAll('"', "'")}" - s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234= - - - example.com - - -`,
  },
  {
    name: 'Envoy',
    format: 'envoy',
    lacksReferrers: true,
    line: (line) =>
      `[${iso(line)}] "${request(line)}" ${line.status} - 0 ${line.bytes} 5 4 "${line.ip}" "${line.userAgent}" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "example.com" "10.0.2.1:80"`,
  },
  {
    name: 'Istio',
    format: 'istio',
    lacksReferrers: true,
    line: (line) =>
      `[${iso(line)}] "${request(line)}" ${line.status} - via_upstream - "-" 0 ${line.bytes} 5 4 "-" "${line.userAgent}" "84961386-6d84-929d-98bd-c5aee93b5c88" "example.com:8000" "127.0.0.1:80" inbound|8000|| 127.0.0.1:41854 10.44.1.27:80 ${withPort(line.ip)} outbound_.8000_._.httpbin.foo.svc.cluster.local default`,
  },
  {
    name: 'HAProxy that captures Host, Referer and User-Agent',
    format: 'haproxy',
    line: (line) =>
      `Mar  1 ${clock(line)} lb1 haproxy[14389]: ${line.ip}:33317 [${local(line).slice(0, 20)}.655] https-in~ static/srv1 10/0/30/69/109 ${line.status} ${line.bytes} - - ---- 1/1/1/1/0 0/0 {example.com|${line.referrer}|${line.userAgent.replace(/["{}|#]/g, (c) => `#${c.charCodeAt(0).toString(16)}`)}} {} "${request(line)}"`,
  },
  {
    name: 'HAProxy that captures User-Agent only',
    format: 'haproxy',
    lacksReferrers: true,
    line: (line) =>
      `<134>Mar  1 ${clock(line)} haproxy[14389]: ${line.ip}:33317 [${local(line).slice(0, 20)}.655] www www/<NOSRV> 0/-1/-1/-1/0 ${line.status} ${line.bytes} - - PR-- 1/1/0/0/0 0/0 {${line.userAgent.replace(/["{}|#]/g, (c) => `#${c.charCodeAt(0).toString(16)}`)}} "${request(line)}"`,
  },
  {
    name: 'IIS',
    format: 'iis',
    head: [
      '#Software: Microsoft Internet Information Services 10.0',
      '#Version: 1.0',
      '#Date: 2026-03-01 10:00:00',
      '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken',
    ],
    line: (line) =>
      `${date(line)} ${clock(line)} 10.0.0.4 ${line.method} ${stem(line)} ${or(query(line))} 443 - ${line.ip} ${plus(line.userAgent)} ${plus(line.referrer)} ${line.status} 0 0 15`,
  },
  {
    name: 'IIS with hosts and bytes',
    format: 'w3c',
    head: [
      '#Software: Microsoft Internet Information Services 8.5',
      '#Version: 1.0',
      '#Fields: date time s-sitename s-computername s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs-version cs(User-Agent) cs(Cookie) cs(Referer) cs-host sc-status sc-substatus sc-win32-status sc-bytes cs-bytes time-taken X-Forwarded-For',
    ],
    line: (line) =>
      `${date(line)} ${clock(line)} W3SVC1 WEB1 10.0.0.4 ${line.method} ${stem(line)} ${or(query(line))} 443 - ${line.ip} HTTP/1.1 ${plus(line.userAgent)} - ${plus(line.referrer)} example.com ${line.status} 0 0 ${line.bytes} 312 15 -`,
  },
  {
    name: 'IIS Advanced Logging',
    format: 'iis',
    head: [
      '#Software: IIS Advanced Logging Module',
      '',
      '#Version: 1.0',
      '   ',
      '#Start-Date: 2026-03-01 10:00:00.128',
      '#Fields:  date-local time-local s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) cs(Host) sc-status sc-substatus sc-win32-status TimeTakenMS',
    ],
    line: (line) =>
      `${date(line)} ${clock(line)}.363 10.0.0.4 ${line.method} ${stem(line)} ${or(query(line))} 80 - ${csv(line.ip)} ${csv(line.userAgent)} ${line.referrer === '' ? '-' : csv(line.referrer)} "example.com" ${line.status} 0 0 109`,
  },
  {
    name: 'Netscaler',
    format: 'w3c',
    head: [
      '#Version: 1.0',
      '#Software: Netscaler Web Logging(NSWL):10.0',
      '#Date: 01/Mar/2026:10:00:00',
      '#Fields: date time c-ip cs-username sc-servicename s-ip s-port cs-method cs-uri-stem cs-uri-query sc-status cs-bytes sc-bytes time-taken cs-version cs(User-Agent) cs(Cookie) cs(Referer)',
    ],
    line: (line) =>
      `${date(line)} ${clock(line)} ${line.ip} - HTTP 172.20.1.1 8080 ${line.method} ${stem(line)} ${or(query(line))} ${line.status} 247 ${line.bytes} 1 HTTP/1.1 ${plus(line.userAgent)} - ${plus(line.referrer)}`,
  },
  {
    name: 'Incapsula',
    format: 'w3c',
    head: [
      '#Software: Incapsula LOGS API',
      '#Version: 1.1',
      '#Date: 01/Mar/2026 10:00:59',
      '#Fields: date time cs-vid cs-clapp cs-browsertype c-ip s-caip cs(User-Agent) cs-sessionid s-siteid cs-countrycode s-computername cs-uri cs-postbody cs-version sc-action cs(Referrer) s-ip s-port cs-method cs-uri-query sc-status s-xff cs-bytes cs-start cs-rule',
    ],
    line: (line) =>
      [
        ...[
          date(line),
          clock(line),
          'a1f36498',
          'Chrome',
          'Browser',
          line.ip,
          '',
          line.userAgent,
          '45',
          '44',
        ],
        ...['SE', 'example.com', `example.com${stem(line)}`, '', 'HTTPS', 'REQ_PASSED', line.referrer],
        ...[
          '203.0.113.4',
          '80',
          line.method,
          query(line),
          String(line.status),
          line.ip,
          '10117',
          '1498634795555',
          '',
        ],
      ]
        .map(csv)
        .join(' '),
  },
  {
    name: 'CloudFront',
    format: 'cloudfront',
    head: [
      '#Version: 1.0',
      '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol',
    ],
    line: (line) =>
      [
        ...[
          date(line),
          clock(line),
          'FRA2',
          line.bytes,
          line.ip,
          line.method,
          'd111111abcdef8.cloudfront.net',
        ],
        ...[
          stem(line),
          line.status,
          percent(line.referrer),
          percent(line.userAgent),
          or(query(line)),
          '-',
          'Hit',
        ],
        ...['SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ==', 'example.com', 'https'],
      ].join('\t'),
  },
  {
    name: 'Google Cloud Storage',
    format: 'google-storage',
    head: [
      '"time_micros","c_ip","c_ip_type","c_ip_region","cs_method","cs_uri","sc_status","cs_bytes","sc_bytes","time_taken_micros","cs_host","cs_referer","cs_user_agent","s_request_id","cs_operation","cs_bucket","cs_object"',
    ],
    line: (line) =>
      [
        ...[
          String(line.at * 1000),
          line.ip,
          '1',
          '',
          line.method,
          line.path,
          String(line.status),
          '0',
          String(line.bytes),
        ],
        ...[
          '13000',
          'example.com',
          line.referrer,
          line.userAgent,
          'AAANsUmHeQ',
          'GET_Object',
          'example.com',
          'index.html',
        ],
      ]
        .map(csv)
        .join(','),
  },
  {
    name: 'Google Cloud load balancer',
    format: 'google',
    line: json((line) => ({
      insertId: '1oek5rg3l3fxj7',
      jsonPayload: {
        '@type': 'type.googleapis.com/google.cloud.loadbalancing.type.LoadBalancerLogEntry',
        remoteIp: line.ip,
        statusDetails: 'response_sent_by_backend',
      },
      httpRequest: {
        requestMethod: line.method,
        requestUrl: url(line),
        requestSize: '364',
        status: line.status,
        responseSize: String(line.bytes),
        userAgent: line.userAgent,
        remoteIp: line.ip,
        serverIp: '10.128.0.2',
        ...(line.referrer && { referer: line.referrer }),
        latency: '0.003s',
      },
      resource: { type: 'http_load_balancer', labels: { zone: 'global', url_map_name: 'site' } },
      timestamp: iso(line),
      severity: 'INFO',
      logName: 'projects/p/logs/requests',
      receiveTimestamp: '2026-03-05T10:00:00Z',
    })),
  },
  {
    name: 'Azure Front Door',
    format: 'azure',
    line: json((line) => ({
      time: iso(line),
      resourceId: '/SUBSCRIPTIONS/1/PROVIDERS/MICROSOFT.CDN/PROFILES/SITE',
      category: 'FrontDoorAccessLog',
      operationName: 'Microsoft.Cdn/Profiles/AccessLog/Write',
      properties: {
        trackingReference: '0a1b2c',
        httpMethod: line.method,
        httpVersion: '2.0.0.0',
        requestUri: `https://example.com:443${line.path}`,
        requestBytes: '1340',
        responseBytes: String(line.bytes),
        userAgent: line.userAgent,
        clientIp: line.ip,
        socketIp: '203.0.113.77',
        clientPort: '45678',
        timeTaken: '0.003',
        requestProtocol: 'HTTPS',
        securityProtocol: 'TLS 1.3',
        httpStatusCode: String(line.status),
        pop: 'FRA',
        cacheStatus: 'HIT',
        endpoint: 'site-abc.z01.azurefd.net',
        errorInfo: 'NoError',
        hostName: 'example.com',
        referer: line.referrer,
      },
    })),
  },
  {
    name: 'Azure Application Gateway',
    format: 'json',
    lacksReferrers: true,
    line: json((line) => ({
      timeStamp: iso(line),
      resourceId: '/SUBSCRIPTIONS/1/APPLICATIONGATEWAYS/SITE',
      category: 'ApplicationGatewayAccessLog',
      properties: {
        instanceId: 'appgw_1',
        clientIP: line.ip,
        clientPort: 45678,
        httpMethod: line.method,
        requestUri: stem(line),
        requestQuery: query(line),
        userAgent: line.userAgent,
        httpStatus: line.status,
        httpVersion: 'HTTP/1.1',
        receivedBytes: 184,
        sentBytes: line.bytes,
        timeTaken: 0.2,
        sslEnabled: 'on',
        host: 'example.com',
        originalHost: 'example.com',
      },
    })),
  },
  {
    name: 'Traefik JSON with headers',
    format: 'traefik',
    line: json((line) => ({
      ClientAddr: withPort(line.ip),
      ClientHost: line.ip,
      ClientPort: '4711',
      ClientUsername: '-',
      DownstreamContentSize: line.bytes,
      DownstreamStatus: line.status,
      Duration: 10002425284,
      OriginContentSize: 15,
      OriginStatus: 599,
      RequestAddr: 'example.com',
      RequestContentSize: 0,
      RequestCount: 1,
      RequestHost: 'example.com',
      RequestMethod: line.method,
      RequestPath: line.path,
      RequestPort: '-',
      RequestProtocol: 'HTTP/1.1',
      RequestScheme: 'https',
      ServiceAddr: 'app:80',
      ServiceURL: { Scheme: 'http', Host: 'app:80', Path: '' },
      StartLocal: iso(line),
      StartUTC: iso(line),
      entryPointName: 'https',
      level: 'info',
      msg: '',
      'request_User-Agent': line.userAgent,
      request_Referer: line.referrer,
      time: iso(line),
    })),
  },
  {
    name: 'Envoy JSON',
    format: 'json',
    lacksReferrers: true,
    line: json((line) => ({
      authority: 'example.com',
      bytes_received: 0,
      bytes_sent: line.bytes,
      downstream_local_address: '10.0.0.1:8080',
      downstream_remote_address: withPort(line.ip),
      duration: 5,
      method: line.method,
      path: line.path,
      protocol: 'HTTP/1.1',
      request_id: 'cc21d9b0',
      requested_server_name: null,
      response_code: line.status,
      response_flags: '-',
      route_name: 'default',
      start_time: iso(line),
      upstream_cluster: 'app',
      upstream_host: '10.0.2.1:80',
      upstream_service_time: '4',
      user_agent: line.userAgent,
      x_forwarded_for: null,
    })),
  },
  {
    name: 'Fastly JSON',
    format: 'fastly',
    line: json((line) => ({
      timestamp: iso(line).replace(/\.000Z$/, '+0000'),
      client_ip: line.ip,
      geo_country: 'germany',
      geo_city: 'berlin',
      host: 'example.com',
      url: line.path,
      request_method: line.method,
      request_protocol: 'HTTP/1.1',
      request_referer: line.referrer,
      request_user_agent: line.userAgent,
      response_state: 'HIT-CLUSTER',
      response_status: line.status,
      response_reason: 'OK',
      response_body_size: line.bytes,
      fastly_server: 'cache-fra1',
      fastly_is_edge: true,
    })),
  },
  {
    name: 'Fastly syslog',
    format: 'combined',
    line: (line) =>
      `<134>${iso(line).replace('.000', '')} cache-sjc3128 LogTest[62959]: ${combinedLine(line)}`,
  },
  {
    name: 'nginx in JSON by its variables',
    format: 'nginx-json',
    line: json((line) => ({
      time_iso8601: iso(line).replace(/\.000Z$/, '+00:00'),
      remote_addr: line.ip,
      request: request(line),
      request_time: '0.005',
      request_length: '312',
      request_id: 'abc',
      status: String(line.status),
      body_bytes_sent: String(line.bytes),
      http_host: 'example.com',
      http_referer: line.referrer,
      http_user_agent: line.userAgent,
      upstream_addr: '10.0.0.9:80',
      upstream_status: '599',
      upstream_response_time: '0.004',
    })),
  },
  {
    name: 'Elastic Common Schema',
    format: 'json',
    line: json((line) => ({
      '@timestamp': iso(line),
      agent: { name: 'shipper', type: 'filebeat' },
      host: { name: 'web-1', ip: '10.0.0.1' },
      source: { ip: line.ip, geo: { country: 'DE' } },
      http: {
        version: '1.1',
        request: { method: line.method, referrer: line.referrer },
        response: { status_code: line.status, body: { bytes: line.bytes } },
      },
      url: { domain: 'example.com', original: line.path, path: stem(line), scheme: 'https' },
      user_agent: { original: line.userAgent, name: 'Chrome' },
      event: { created: '2026-03-05T10:00:00Z', dataset: 'nginx.access' },
    })),
  },
  {
    name: 'pino-http',
    format: 'json',
    line: json((line) => ({
      level: 30,
      time: line.at,
      pid: 1,
      hostname: 'web-1',
      req: {
        id: 1,
        method: line.method,
        url: line.path,
        headers: { host: 'example.com', 'user-agent': line.userAgent, referer: line.referrer },
        remoteAddress: line.ip,
        remotePort: 4711,
      },
      res: {
        statusCode: line.status,
        headers: { date: 'Sun, 01 Mar 2026 10:00:00 GMT', 'content-length': '5' },
      },
      responseTime: 3,
      msg: 'request completed',
    })),
  },
  {
    name: "Logstash's names",
    format: 'json',
    line: json((line) => ({
      '@timestamp': iso(line),
      clientip: line.ip,
      verb: line.method,
      request: line.path,
      httpversion: '1.1',
      response: line.status,
      bytes: line.bytes,
      referrer: line.referrer,
      agent: line.userAgent,
    })),
  },
  {
    name: 'names of headers inside headers',
    format: 'json',
    line: json((line) => ({
      ts: line.at / 1000,
      remote: { ip: line.ip },
      request: {
        method: line.method,
        url: url(line),
        headers: { 'User-Agent': [line.userAgent], Referer: [line.referrer] },
      },
      response: { status: line.status, size: line.bytes, headers: { Date: ['x'] } },
    })),
  },
  {
    name: 'logfmt',
    format: 'logfmt',
    line: (line) =>
      `time=${iso(line)} level=info method=${line.method} path="${line.path}" host=example.com remote_ip=${line.ip} status=${line.status} bytes=${line.bytes} referer="${line.referrer}" user_agent="${line.userAgent.replaceAll('"', '\\"')}"`,
  },
  {
    name: 'LTSV by the labels of ltsv.org',
    format: 'ltsv',
    line: (line) =>
      `time:[${local(line)}]\thost:${line.ip}\treq:${request(line)}\tstatus:${line.status}\tsize:${line.bytes}\treferer:${or(line.referrer)}\tua:${line.userAgent}\tvhost:example.com\treqtime:0.030`,
  },
  {
    name: "LTSV by nginx's variables",
    format: 'ltsv',
    line: (line) =>
      `time_local:${local(line)}\tremote_addr:${line.ip}\thost:example.com\trequest_method:${line.method}\trequest_uri:${line.path}\tstatus:${line.status}\tbody_bytes_sent:${line.bytes}\thttp_referer:${or(line.referrer)}\thttp_user_agent:${line.userAgent}`,
  },
  {
    name: 'OpenLiteSpeed with a whole line in quotes',
    format: 'combined',
    line: (line) => `"${combinedLine(line)}"`,
  },
];

/** What something puts around each line. */
export const wrappings: [string, (text: string, line: LoggedLine, i: number) => string][] = [
  ['syslog of RFC 3164', (text, line) => `<190>Mar  1 ${clock(line)} web1 nginx: ${text}`],
  ['syslog of RFC 3164 in a file', (text, line) => `Mar  1 ${clock(line)} web1 nginx[812]: ${text}`],
  ['syslog in a file with whole times', (text, line) => `${iso(line)} web1 nginx[812]: ${text}`],
  ['syslog of RFC 5424', (text, line) => `<134>1 ${iso(line)} web1 nginx 812 - - ${text}`],
  [
    'syslog of RFC 5424 with structured data',
    (text, line) =>
      `<134>1 ${iso(line)} web1 nginx 812 ID47 [meta@32473 a="b\\"]" c="d"][x@1 y="z"] \ufeff${text}`,
  ],
  ['Kubernetes CRI', (text, line) => `${iso(line).replace('Z', '123456Z')} stdout F ${text}`],
  [
    'Kubernetes CRI in parts',
    (text, line) =>
      `${iso(line)} stdout P ${text.slice(0, 30)}\n${iso(line)} stdout P ${text.slice(30, 60)}\n${iso(line)} stdout F ${text.slice(60)}`,
  ],
  [
    'docker json-file',
    (text, line) => JSON.stringify({ log: `${text}\n`, stream: 'stdout', time: iso(line) }),
  ],
  ['docker compose', (text) => `web-1  | ${text}`],
  ['kubectl with prefixes', (text) => `[pod/web-5d4f/nginx] ${text}`],
  ['docker with timestamps', (text, line) => `${iso(line)} ${text}`],
  [
    'a collector of logs',
    (text, line) => JSON.stringify({ '@timestamp': iso(line), message: text, host: { name: 'web-1' } }),
  ],
  ['an export as CSV', (text) => `"${text.replaceAll('"', '""')}"`],
];
