import { part } from './part.ts';

/** What clients and devices are called. */
export const t = part('names', {
  unknown: 'Unknown',
  allOthers: 'All others',
  directOrUnknown: 'Direct or unknown',
  purposes: {
    training: 'Training',
    search: 'AI search',
    assistant: 'Assistant',
    coding: 'Coding',
    browser: 'Browser',
  },
  devices: {
    desktop: 'Desktop',
    mobile: 'Phone',
    tablet: 'Tablet',
    smarttv: 'Television',
    console: 'Game console',
    wearable: 'Watch or other wearable',
    xr: 'Headset',
    embedded: 'Embedded device',
  },
});
