import { newPassword } from '../../shared/accounts/admin.ts';
import { Passwords } from '../admin/sign-in/password.ts';
import { offerSetupLink } from '../admin/sign-in/setup-link.ts';
import { runAction } from './terminal/actions.ts';
import { type Command, type Terminal, UsageError } from './terminal/command.ts';
import { readOptions } from './terminal/options.ts';
import { findServerUrl } from './terminal/running-server.ts';
import { withNewStore } from './terminal/with-store.ts';

async function password(args: string[], terminal: Terminal): Promise<void> {
  const { values } = readOptions(args, { stdin: { type: 'boolean' }, json: { type: 'boolean' } });
  if (values.stdin) await setPassword(terminal, values.json);
  else await printLink(terminal, values.json);
}

async function setPassword(terminal: Terminal, json = false): Promise<void> {
  // Editors and echo end the line.
  const { success, data, error } = newPassword.safeParse((await terminal.readInput()).replace(/\r?\n$/, ''));
  if (!success) throw new UsageError(`The password ${error.issues[0]?.message}.`);
  const hashed = await new Passwords().hash(data);
  await withNewStore(terminal, (store) => store.admin.resetPassword(hashed));
  terminal.print(
    json
      ? `${JSON.stringify({ changed: true })}\n`
      : 'The password of the dashboard was changed, and whoever was signed in with it is signed out.\n',
  );
}

async function printLink(terminal: Terminal, json = false): Promise<void> {
  const baseUrl = await findServerUrl(terminal);
  const url = await withNewStore(terminal, (store) =>
    offerSetupLink(store, { baseUrl, now: terminal.now() }),
  );
  terminal.print(
    json
      ? `${JSON.stringify({ url })}\n`
      : `This link sets the password of the dashboard, once and within 24 hours; the current password, if any, works until then:\n\n  ${url}\n`,
  );
}

const actions = { password };

export const adminCommand: Command = {
  help: `Usage: headcount admin password [--stdin] [--json]

Prints a link that sets the password of the dashboard, good once and for 24 hours. Once a password is
set, whoever was signed in with it is signed out; users ("headcount user") stay.

  --stdin    set the password that standard input brings, instead of printing a link
  --json     print the result as JSON, for programs
`,
  run: (args, terminal) => runAction('admin', actions, args, terminal),
};
