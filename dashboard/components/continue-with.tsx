import type { SignOnReply } from '../../shared/accounts/sign-on.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/resource.ts';
import { t } from '../texts/common.ts';
import { mix } from '../texts/part.ts';
import { Failure } from './notice.tsx';

interface ContinueWithProps {
  /** What the provider is called. */
  label: string;
  /** What is sent to the server. */
  body: { token?: string; next?: string };
}

/** Leaves for a provider, which leads back to the page `/sign-on`. */
export function ContinueWith({ label, body }: ContinueWithProps) {
  const { api } = useApi();
  const start = useAction(async () => {
    const { address } = await api.send<SignOnReply>('POST', '/v1/admin/sign-on', body);
    location.assign(address);
  });
  return (
    <>
      <Failure failure={start.failure} />
      <button type="button" onClick={() => start.run()} disabled={start.isBusy}>
        {mix(t.continueWith, { label })}
      </button>
    </>
  );
}
