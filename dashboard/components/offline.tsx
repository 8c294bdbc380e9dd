import { useEffect, useState } from 'preact/hooks';
import { useApi } from '../api/context.ts';
import { t } from '../texts/common.ts';

/** Says that what is shown may be out of date. */
export function Offline({ isReachable }: { isReachable: boolean }) {
  const { refresh } = useApi();
  const isOnline = useOnline();
  const isOffline = !isOnline || !isReachable;
  return (
    <div class="offline-place" role="status">
      {isOffline && (
        <div class="offline">
          <p>
            {isOnline ? t.theServerDoesNotRespond : t.youAreOffline} {t.mayBeOutOfDate}
          </p>
          <button type="button" class="small" onClick={refresh}>
            {t.tryNow}
          </button>
        </div>
      )}
    </div>
  );
}

function useOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return isOnline;
}
