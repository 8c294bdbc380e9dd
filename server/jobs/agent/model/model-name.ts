import { JobFailure } from '../../failure.ts';
import { inSettings } from '../../text/in-settings.ts';

const providers = ['anthropic', 'openai', 'google', 'compatible'] as const;
export type Provider = (typeof providers)[number];

/** The variables that an operator sets, for messages. */
export const keyVariables = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  compatible: 'HEADCOUNT_MODEL_API_KEY',
} as const satisfies Record<Provider, string>;

/** @throws JobFailure `model_settings` for a name that is not `provider/model` with a known provider. */
export function parseModelName(name: string): { provider: Provider; id: string } {
  const slash = name.indexOf('/');
  const provider = providers.find((known) => known === name.slice(0, Math.max(slash, 0)));
  const id = name.slice(slash + 1);
  if (provider !== undefined && /^[\x21-\x7e]{1,200}$/.test(id)) return { provider, id };
  throw new JobFailure(
    'model_settings',
    `The model ${JSON.stringify(name.slice(0, 200))} is unknown. Set one ${inSettings('--model <provider>/<model>')}; the providers are ${providers.join(', ')}.`,
  );
}
