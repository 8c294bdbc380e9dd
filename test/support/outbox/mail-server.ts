import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  to: string;
  /** It came over TLS. */
  isEncrypted: boolean;
  /** By their names in lower case, unfolded. */
  headers: Record<string, string>;
  text: string;
  html: string;
}

export interface MailServer {
  url: string;
  port: number;
  mails: ReceivedMail[];
  stop(): Promise<void>;
}

interface MailServerOptions {
  port?: number;
  /** Otherwise everybody may send. */
  password?: string;
  /** Addresses that it knows nobody of. */
  unknown?: readonly string[];
  /** Encrypted from the start, or once a client asks for it; otherwise never. */
  tls?: { key: string; cert: string; begins: 'at once' | 'when asked' };
}

/** A real mail server on loopback, which keeps the mails. */
export async function startMailServer({
  port = 0,
  password,
  unknown = [],
  tls,
}: MailServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const options: SMTPServerOptions = {
    ...(tls && { key: tls.key, cert: tls.cert, secure: tls.begins === 'at once' }),
    disabledCommands: [...(tls ? [] : ['STARTTLS']), ...(password === undefined ? ['AUTH'] : [])],
    allowInsecureAuth: true,
    authOptional: password === undefined,
    onAuth: (auth, _session, done) => {
      if (auth.password === password) done(null, { user: auth.username });
      else done(new Error(`${auth.username} with ${auth.password} is not let in without a certificate`));
    },
    onRcptTo: ({ address }, _session, done) => {
      if (!unknown.includes(address)) return done();
      done(
        Object.assign(new Error('5.1.1 Nobody of that name here has a certificate'), { responseCode: 550 }),
      );
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join(' ');
        mails.push({
          to,
          isEncrypted: session.secure,
          ...parseMail(Buffer.concat(parts).toString('latin1')),
        });
        done();
      });
    },
  };
  const smtp = new SMTPServer(options);
  // A client that trusts no such certificate hangs up.
  smtp.on('error', () => undefined);
  const server = smtp.listen(port, '127.0.0.1') as Server;
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `${tls?.begins === 'at once' ? 'smtps' : 'smtp'}://${tls ? 'localhost' : '127.0.0.1'}:${own}`,
    port: own,
    mails,
    stop: () => new Promise((resolve) => smtp.close(() => resolve())),
  };
}

/** One of the two forms of a mail, and how it is packed: all that is sent here. */
function parseMail(raw: string): Omit<ReceivedMail, 'to' | 'isEncrypted'> {
  const { headers, body } = parsePart(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).slice(1, -1).map(parsePart);
  const ofType = (type: string) => {
    const part = parts.find(({ headers }) => headers['content-type']?.startsWith(type));
    return part ? unpack(part) : '';
  };
  return { headers, text: ofType('text/plain'), html: ofType('text/html') };
}

function parsePart(raw: string): { headers: Record<string, string>; body: string } {
  const trimmed = raw.replace(/^\r\n/, '');
  const end = trimmed.indexOf('\r\n\r\n');
  const lines = trimmed
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return { headers: Object.fromEntries(headers), body: trimmed.slice(end + 4) };
}

function unpack({ headers, body }: { headers: Record<string, string>; body: string }): string {
  const packing = headers['content-transfer-encoding'];
  if (packing === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  const bytes =
    packing === 'quoted-printable'
      ? body
          .replace(/=\r\n/g, '')
          .replace(/=([0-9A-F]{2})/g, (_all, code) => String.fromCharCode(Number.parseInt(code, 16)))
      : body;
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}
