import childProcess, { type ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(
  new URL('../../../server/jobs/git/launcher/launcher-process.ts', import.meta.url),
);

const atRest: ChildProcess[] = [];

/** Keeps a process that starts git for the next server of this worker, unless a program of it still runs. */
function keepWhenIdle(launcher: ChildProcess): ChildProcess {
  const running = new Set<number>();
  const { send, disconnect } = launcher;
  const listen = () => launcher.on('message', ({ id }: { id: number }) => running.delete(id));
  launcher.send = (order: object, ...rest: unknown[]) => {
    if ('call' in order && 'id' in order) running.add(order.id as number);
    return Reflect.apply(send, launcher, [order, ...rest]) as boolean;
  };
  launcher.disconnect = () => {
    if (running.size > 0) return disconnect.call(launcher);
    for (const event of ['message', 'error', 'disconnect', 'exit']) launcher.removeAllListeners(event);
    listen();
    launcher.unref();
    launcher.channel?.unref();
    atRest.push(launcher);
  };
  listen();
  return launcher;
}

/** Each file of tests runs what sets it up anew, in one process. */
const isSetUp = Symbol.for('headcount: launchers rest');

/** To start one takes 50 ms of the processor. Tests open hundreds of them one after the other, where a server opens one. */
if (!(isSetUp in childProcess)) {
  childProcess.spawn = new Proxy(childProcess.spawn, {
    apply: (spawn, self, args) => {
      if (!(args[1] as string[] | undefined)?.includes(script)) return Reflect.apply(spawn, self, args);
      while (atRest.length > 0 && atRest.at(-1)?.connected === false) atRest.pop();
      return atRest.pop() ?? keepWhenIdle(Reflect.apply(spawn, self, args) as ChildProcess);
    },
  });
  Object.assign(childProcess, { [isSetUp]: true });
  syncBuiltinESMExports();
}
