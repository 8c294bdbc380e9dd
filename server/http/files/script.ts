import { ConfigError } from '../../config/config.ts';
import { readShipped } from '../../shipped.ts';

/** The built tracker. @throws ConfigError where there is none */
export function readScript(): Buffer {
  const script = readShipped('dist/hc.js');
  if (script) return script;
  throw new ConfigError(
    'The tracker has not been built: start with "npm start", or run "npm run build" first.',
  );
}
