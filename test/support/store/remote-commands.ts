import { Client } from 'pg';
import { vi } from 'vitest';
import { runIn } from './postgres-client.ts';

/** What the coordinator of a Citus asked of another server. */
export interface RemoteCommand {
  text: string;
  server: string;
}

/** Records what the coordinator of a database asks of other servers, for connections made from here on. */
export async function listenToCoordinator(url: string): Promise<() => RemoteCommand[]> {
  await runIn(url, `alter database ${new URL(url).pathname.slice(1)} set citus.log_remote_commands = on`);
  const commands: RemoteCommand[] = [];
  const emit = Client.prototype.emit;
  vi.spyOn(Client.prototype, 'emit').mockImplementation(function (this: Client, event, ...values) {
    const [notice] = values as [{ message?: string; detail?: string }?];
    if (event === 'notice' && notice?.message?.startsWith('issuing ')) {
      const { message, detail = '' } = notice;
      commands.push({ text: message.slice('issuing '.length), server: /@(\S+)/.exec(detail)?.[1] ?? '' });
    }
    return emit.call(this, event, ...values);
  });
  return () => commands.splice(0);
}

/** Of tables of shards: by the number that Citus gives to what it has for each. */
export function tablesIn(commands: readonly RemoteCommand[], table: string): string[] {
  const names = commands.flatMap(({ text }) => text.match(new RegExp(`\\b${table}_\\d+`, 'g')) ?? []);
  return [...new Set(names)];
}

/** Of commands that are no beginning or end of a transaction. */
export function serversOf(commands: readonly RemoteCommand[]): string[] {
  const asking = commands.filter(
    ({ text }) => !/^(BEGIN|COMMIT|ROLLBACK|PREPARE|SAVEPOINT|RELEASE)/.test(text),
  );
  return [...new Set(asking.map(({ server }) => server))];
}
