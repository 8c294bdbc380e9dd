import type { AddressListsReply } from '../../shared/accounts/admin.ts';
import { useResource } from '../api/resource.ts';
import { Loaded } from '../components/notice.tsx';
import { formatAgo, formatTime } from '../formats/day.ts';
import { t } from '../texts/installation.ts';

/** How old the addresses are that AI clients are proved by. */
export function AddressLists() {
  const resource = useResource<AddressListsReply>('/v1/admin/address-lists');
  return (
    <section class="card" id="address-lists" aria-labelledby="address-lists-title">
      <h2 id="address-lists-title">{t.addressesOfAiClients}</h2>
      <Loaded resource={resource} lines={6}>
        {({ lists }) => (
          <>
            <p class="hint">{t.operatorsPublishAddresses}</p>
            <ul class="rows">
              {lists.map(({ list, clients, confirmedAt, isRecent }) => (
                <li key={list}>
                  <div class="rows-main">
                    <bdi class="strong">{clients.join(', ')}</bdi>
                  </div>
                  {confirmedAt !== null && !isRecent && <span class="tag">{t.tooOld}</span>}
                  {confirmedAt === null ? (
                    t.noCopyYet
                  ) : (
                    <time dateTime={confirmedAt} title={formatTime(confirmedAt)}>
                      {formatAgo(confirmedAt)}
                    </time>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </section>
  );
}
