/** Cells of panels that several reports have. */
export const page = { field: 'path', as: 'page', title: 'page' } as const;
export const client = { field: 'client', as: 'client', title: 'client' } as const;
export const operator = { field: 'operator', as: 'operator', title: 'operator' } as const;
export const status = { field: 'status', as: 'status' } as const;
export const requests = { field: 'requests', as: 'count', title: 'requests' } as const;
export const views = { field: 'views', as: 'count', title: 'views' } as const;
export const visitors = { field: 'visitors', as: 'count', title: 'visitors' } as const;
export const bytes = { field: 'bytes', as: 'bytes', title: 'sent' } as const;

/** Columns of visitors and views, of people, AI and all. */
export const countColumns = [
  ...(['humanVisitors', 'aiVisitors', 'visitors'] as const),
  ...(['humanViews', 'aiViews', 'views'] as const),
] as const;
