// All that the page itself says to a person, in one catalogue; the language is chosen here. What the Go side says (errors,
// sentences of a certificate, the story of a session) comes from there.

import { en } from './en';
import { english } from './en/figures';
import { pseudo } from './pseudo';

/** Texts is the form of a catalogue: a language that lacks a text, or a view that asks for one that is not there, does not compile. */
export type Texts = typeof en;

function asked(): string {
  return new URLSearchParams(globalThis.location?.search ?? '').get('locale') ?? '';
}

/** t is the catalogue in use; in a development build ?locale=pseudo asks for the pseudo-locale. */
export const t: Texts = import.meta.env.DEV && asked() === 'pseudo' ? { ...pseudo(en), keys: en.keys } : en;

/** figures writes numbers and dates in the language in use. */
export const figures = english;
