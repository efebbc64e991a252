// The JSON forms of the Go side, by hand, one file for each room that they come from.

export type * from './types/list';
export type * from './types/model';
export type * from './types/patch';
export type * from './types/proof';
export type * from './types/session';
export type * from './types/app';
export type * from './types/task';
