import { spawn } from 'node:child_process';

/** Shows an address in the person's browser, where there is a desktop to do so; without one, nothing happens. */
export function openInBrowser(address: string, env: NodeJS.ProcessEnv): void {
  const program = findOpener(env);
  if (program === undefined) return;
  const child = spawn(program, [address], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

function findOpener({ DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): string | undefined {
  if (process.platform === 'darwin') return 'open';
  return DISPLAY || WAYLAND_DISPLAY ? 'xdg-open' : undefined;
}
