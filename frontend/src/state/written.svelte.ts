// A message that is being written: its text and its pictures. It outlives the field that it stands in.

import type { Backend } from '../api';
import { Pictures } from './pictures.svelte';

export class Written {
  text = $state('');
  readonly pictures: Pictures;

  constructor(backend: Backend) {
    this.pictures = new Pictures((data) => backend.readPicture(data));
  }

  clear(): void {
    this.text = '';
    this.pictures.clear();
  }
}
