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
      : 'The password of the dashboard was changed. Everybody who signed in with the old one is signed out.\n',
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
      : `Set the password of the dashboard with this link. It works once and expires in 24 hours. The current password, if any, works until then:\n\n  ${url}\n`,
  );
}

const actions = { password };

export const adminCommand: Command = {
  help: `Usage: headcount admin password [--stdin] [--json]

Prints a link that sets the password of the dashboard. It works once and expires in 24 hours. Setting a
password signs out everybody who signed in with the old one, but no users ("headcount user").

  --stdin    read the new password from standard input instead of printing a link
  --json     print the result as JSON, for programs
`,
  run: (args, terminal) => runAction('admin', actions, args, terminal),
};
