import { Session } from 'node:inspector/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../../server/command-line.ts';

/**
 * node walk.ts <hit | log> <data folder>: prints the functions of the server and of shared/ that each of some hits, or
 * logs of one line, runs through in the main thread: a hit from its request on, a log from when the command reads its
 * standard input until it prints the result. What timers do meanwhile is not in all of them.
 */
const [, , what, dataDir = ''] = process.argv;
/** Timers that run each second are in some of them only. */
const times = 25;
const home = `file://${join(import.meta.dirname, '../../..')}/`;
const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

const session = new Session();
session.connect();
await session.post('Profiler.enable');

const never = new Promise<void>(() => undefined);

/** A command in this process. Answers what it printed. @throws Error */
async function run(
  args: string[],
  { untilStopped = never, onPrint = (_: string) => {}, input = Readable.from([]) } = {},
): Promise<string> {
  let printed = '';
  const output = new Writable({
    write(chunk, _encoding, done) {
      printed += chunk;
      onPrint(printed);
      done();
    },
  });
  const env = { HEADCOUNT_DATA_DIR: dataDir, HEADCOUNT_PORT: '0', HEADCOUNT_OFFLINE: '1' };
  const host = { env, input, output, errors: output, untilStopped: () => untilStopped };
  if ((await runCommandLine(args, host)) !== 0) throw new Error(printed);
  return printed;
}

const take = () => session.post('Profiler.takePreciseCoverage');
type Mark = typeof take;

/** Runs it once to warm up, and then returns what it runs through each time. */
async function walk(act: (time: number, begin: Mark, end: Mark) => Promise<unknown>): Promise<string[]> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  await act(0, take, take);
  let common: string[] | undefined;
  for (let time = 1; time <= times; time++) {
    let taken: ReturnType<Mark> | undefined;
    const end = () => (taken ??= take());
    await act(time, take, end);
    const { result } = await end();
    const ran = new Set(
      result
        .filter(({ url }) => url.startsWith(`${home}server/`) || url.startsWith(`${home}shared/`))
        .flatMap(({ url, functions }) =>
          functions
            // V8 makes a function of the fields that a class gives values to; nobody wrote one.
            .filter(({ functionName }) => functionName !== '<instance_members_initializer>')
            .filter(({ ranges: [range] }) => range && range.count > 0)
            .map(({ functionName, ranges: [range] }) =>
              [url.slice(home.length), range?.startOffset, functionName].join(' '),
            ),
        ),
    );
    common = common?.filter((one) => ran.has(one)) ?? [...ran];
  }
  return common ?? [];
}

const { projectId } = JSON.parse(await run(['project', 'add', '--name', 'Walk', '--json']));

async function walkHits(): Promise<string[]> {
  const stop = Promise.withResolvers<void>();
  const listening = Promise.withResolvers<number>();
  const onPrint = (printed: string) => {
    const port = /port (\d+)/.exec(printed)?.[1];
    if (port) listening.resolve(Number(port));
  };
  const served = run(['serve'], { untilStopped: stop.promise, onPrint });
  const port = await Promise.race([listening.promise, served.then(Number)]);
  const socket = connect(port, '127.0.0.1');
  const functions = await walk(async (time, begin) => {
    const body = JSON.stringify({
      p: projectId,
      u: `https://example.com/articles/how-visitors-are-counted-${time}`,
      r: 'https://news.example/',
      s: 5,
    });
    const head = [
      'POST /v1/hit HTTP/1.1',
      'Host: analytics.example',
      `User-Agent: ${userAgent}`,
      'Accept-Language: de-AT,de;q=0.9',
      'X-Forwarded-For: 192.0.2.7',
      `Content-Length: ${body.length}`,
    ];
    await begin();
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    const answer = await new Promise((resolve) => socket.once('data', resolve));
    if (!String(answer).startsWith('HTTP/1.1 202') || String(answer).includes('Dropped'))
      throw new Error(String(answer));
  });
  socket.destroy();
  stop.resolve();
  await served;
  return functions;
}

const walkLogs = () =>
  walk(async (time, begin, end) => {
    const at = new Date().toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) (\S+) .*/, '$1/$2/$3:$4 +0000');
    const line = `192.0.2.${time} - - [${at}] "GET /articles/how-visitors-are-counted-${time} HTTP/1.1" 200 1000 "https://news.example/" "${userAgent}"\n`;
    let hasBegun = false;
    const input = new Readable({
      read() {
        if (hasBegun) return;
        hasBegun = true;
        void begin().then(() => {
          this.push(line);
          this.push(null);
        });
      },
    });
    const args = ['import', '-', '--project', projectId, '--host', 'example.com', '--json'];
    const printed = await run(args, { input, onPrint: () => void end() });
    if (!/"people": ?1\b/.test(printed)) throw new Error(printed);
  });

process.stdout.write(JSON.stringify(await (what === 'hit' ? walkHits() : walkLogs())));
process.exit(0);
