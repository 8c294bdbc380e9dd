import { z } from 'zod';
import { paging } from './reports/analytics.ts';

/** The query of the log of deliveries. */
export const deliveriesQuery = z.object(paging({ max: 250, standard: 50 }));

export type DeliveriesQuery = z.infer<typeof deliveriesQuery>;
