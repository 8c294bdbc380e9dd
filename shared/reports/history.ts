/** Other tools whose counts can be imported: as commands name them, and as they are shown. */
export const historyTools = {
  plausible: 'Plausible',
  goatcounter: 'GoatCounter',
  umami: 'Umami',
  ga4: 'Google Analytics',
  matomo: 'Matomo',
} as const;

export type HistoryTool = keyof typeof historyTools;
