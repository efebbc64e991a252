// The JSON forms of backend/model, by hand.

import type { List } from './list';

export interface ModelInfo {
  provider: string;
  name: string;
  label: string;
  local: boolean;
  here?: boolean; // its server is on this machine, and may bill
  search?: boolean; // no language model: a search over small edits
  window: number;
  images?: 'yes' | 'no' | ''; // whether it takes pictures; else it is not known
}

/** A picture of a message; its bytes are asked for by hash. */
export interface ModelImage {
  type: string; // image/png, image/jpeg, image/gif, image/webp
  hash: string;
  size: number; // bytes
  width: number;
  height: number;
}

export interface Usage {
  known: boolean;
  input: number;
  cache_read?: number;
  cache_write?: number;
  cache_write_1h?: number;
  output: number;
  reasoning?: number;
}

export interface ModelCall {
  id: string;
  name: string;
  args: string;
}

export interface ModelMessage {
  role: 'user' | 'assistant' | 'tool';
  text?: string;
  thinking?: string;
  calls?: List<ModelCall>;
}
