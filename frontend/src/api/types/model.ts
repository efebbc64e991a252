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
