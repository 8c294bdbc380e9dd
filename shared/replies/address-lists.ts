import { z } from 'zod';

export const addressListReply = z
  .object({
    list: z.string().describe('Its name, such as `openai-gptbot`.'),
    clients: z.array(z.string()).describe('What their user agents say.'),
    confirmedAt: z.iso
      .datetime()
      .nullable()
      .describe('When the operator last published it like this; null: there is no copy.'),
    isRecent: z
      .boolean()
      .describe(
        'Whether an address outside of it is one of somebody else: of an older list it only proves who is inside.',
      ),
  })
  .meta({ id: 'AddressList' });

export type AddressListReply = z.infer<typeof addressListReply>;

/** `GET /v1/admin/address-lists`: the addresses that operators of AI publish, as far as this server has them. */
export const addressListsReply = z
  .object({ lists: z.array(addressListReply).describe('The oldest first.') })
  .meta({ id: 'AddressLists' });

export type AddressListsReply = z.infer<typeof addressListsReply>;
