import type { AddressListsReply } from '../../shared/accounts/admin.ts';
import { useResource } from '../api/resource.ts';
import { Loaded } from '../components/notice.tsx';
import { formatAgo, formatTime } from '../formats/day.ts';
import { t } from '../texts/installation.ts';
import type { Part } from './view.ts';

export const listsPart: Part = { name: 'address-lists', show: AddressLists };

/** How old the addresses are that AI clients are proved by. */
function AddressLists() {
  const resource = useResource<AddressListsReply>('/v1/admin/address-lists');
  return (
    <section class="panel" aria-labelledby="address-lists-title">
      <header class="panel-head">
        <h2 id="address-lists-title">{t.addressesOfAiClients}</h2>
      </header>
      <Loaded resource={resource} lines={6}>
        {({ lists }) => (
          <>
            <ul class="card-rows">
              {lists.map(({ list, clients, confirmedAt, isRecent }) => (
                <li key={list}>
                  <span>
                    <bdi>{clients.join(', ')}</bdi>
                  </span>
                  <span class="card-number">
                    {confirmedAt !== null && !isRecent && <span class="tag">{t.tooOld}</span>}{' '}
                    {confirmedAt === null ? (
                      t.noCopyYet
                    ) : (
                      <time dateTime={confirmedAt} title={formatTime(confirmedAt)}>
                        {formatAgo(confirmedAt)}
                      </time>
                    )}
                  </span>
                </li>
              ))}
            </ul>
            <p class="panel-note">{t.operatorsPublishAddresses}</p>
          </>
        )}
      </Loaded>
    </section>
  );
}
