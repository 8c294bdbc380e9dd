import { ConfigError } from '../../config/config.ts';
import { readShipped } from '../../files/shipped.ts';

/** The built tracker, by the name of its file. @throws ConfigError where there is none */
export function readScript(file: string): Buffer {
  const script = readShipped(`dist/${file}`);
  if (script) return script;
  throw new ConfigError(
    'The tracker has not been built: start with "npm start", or run "npm run build" first.',
  );
}
