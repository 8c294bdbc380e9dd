import { useEffect } from 'preact/hooks';
import type { SignOnReturnReply } from '../../shared/accounts/sign-on.ts';
import { useAction } from '../api/action.ts';
import { useApi } from '../api/resource.ts';
import { Failure, Skeleton } from '../components/notice.tsx';
import { Standalone } from '../components/standalone.tsx';
import { Link, safeRedirect, useRouter } from '../router/router.tsx';
import { t } from '../texts/sign-in.ts';

/** Where a provider leads back to: with a code for the user who is signed in there. */
export function SignOn({ onDone }: { onDone: () => void }) {
  const { api } = useApi();
  const { navigate } = useRouter();
  const finish = useAction(async () => {
    const query = location.search;
    // The code is good once, and has no place in the history.
    history.replaceState(null, '', location.pathname);
    const { next } = await api.send<SignOnReturnReply>('POST', '/v1/admin/sign-on/return', { query });
    onDone();
    navigate(safeRedirect(next), { replace: true });
  });
  useEffect(() => void finish.run(), []);
  return (
    <Standalone title={t.signIn}>
      {finish.failure ? (
        <>
          <Failure failure={finish.failure} />
          <Link href="/sign-in" class="button primary">
            {t.toTheSignInPage}
          </Link>
        </>
      ) : (
        <Skeleton lines={2} />
      )}
    </Standalone>
  );
}
