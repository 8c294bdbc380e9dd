import tls from 'node:tls';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeCertificate } from '../support/certificate.ts';
import { startMailServer } from '../support/outbox/mail-server.ts';
import { startOutboxRun } from '../support/outbox/outbox-run.ts';

let certificate: { key: string; cert: string };
beforeAll(async () => {
  certificate = await makeCertificate(['localhost']);
});

/** As where the certificate is of an authority that the machine trusts. */
function trust({ cert }: { cert: string }): void {
  const usual = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...usual, cert]);
  onTestFinished(() => tls.setDefaultCACertificates(usual));
}

type Options = Parameters<typeof startMailServer>[0];

/** A server that sends its mail there, and has tried to. */
async function runWith(options: Options, query = '') {
  const mail = await startMailServer(options);
  onTestFinished(() => mail.stop());
  const run = await startOutboxRun({
    start: '2026-11-20T12:00:00Z',
    project: { name: 'Docs', mailTo: ['a@example.com'] },
    env: { HEADCOUNT_SMTP_URL: mail.url + query, HEADCOUNT_MAIL_FROM: 'Headcount <reports@count.example>' },
  });
  await run.tryIt();
  const [delivery] = await run.deliveries();
  return { mails: mail.mails.map(({ isEncrypted }) => ({ isEncrypted })), delivery };
}

test.each(['at once', 'when asked'] as const)('a mail goes out over TLS that begins %s', async (begins) => {
  trust(certificate);
  const { mails, delivery } = await runWith({ tls: { ...certificate, begins } });
  expect(mails).toEqual([{ isEncrypted: true }]);
  expect(delivery).toMatchObject({ state: 'sent' });
});

test('a mail server without TLS gets none where it is required', async () => {
  const { mails, delivery } = await runWith({}, '?requireTLS=true');
  expect(mails).toEqual([]);
  expect(delivery).toMatchObject({
    state: 'waiting',
    trouble: expect.stringMatching(/^The mail server did not begin TLS: 5/),
  });
});

test.each(['at once', 'when asked'] as const)(
  'a certificate that nobody trusts is told in words, and gets no mail: TLS that begins %s',
  async (begins) => {
    const { mails, delivery } = await runWith({ tls: { ...certificate, begins } });
    expect(mails).toEqual([]);
    const trouble = 'The certificate of the mail server is not to be trusted: self-signed certificate';
    expect(delivery).toMatchObject({ state: 'waiting', trouble: expect.stringContaining(trouble) });
  },
);
