import type { AddressListsReply } from '../../shared/replies/address-lists.ts';
import { type Route, route } from '../http/route.ts';
import { listAges } from '../identity/proof/list-ages.ts';

export const addressListRoute: Route = route({
  name: 'admin.address_lists',
  method: 'GET',
  path: '/v1/admin/address-lists',
  access: 'session',
  summary: 'Tell how old the lists of addresses of AI clients are',
  answers: {
    200: {
      says: 'The lists',
      json: async () => (await import('../../shared/replies/address-lists.ts')).addressListsReply,
    },
  },
  handle: ({ proofs, now }): AddressListsReply => ({ lists: listAges(proofs.feedTimes(), now()) }),
});
