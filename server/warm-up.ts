/**
 * Loads what the server loads, at the latest with the first request and job, and what the threads of its store load, so
 * that it lies in the compile cache. `npm start` does so in a process of its own, as stripping types takes 40 MB that a
 * process keeps for as long as it lives.
 */
export async function warmUp(): Promise<void> {
  await import('./commands/serve.ts');
  await import('./express-app.ts');
  await import('./jobs/turn/runner.ts');
  // It says that it runs only as a thread, which is after it was compiled.
  await import('./store/sqlite/thread/worker.ts').catch(() => undefined);
}
