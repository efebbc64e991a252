// A field as high as its text, up to what its style allows. WebKitGTK 2.50 does not know field-sizing.

const known = typeof CSS !== 'undefined' && CSS.supports('field-sizing', 'content');

/** grow fits a field to its text; call it when the text has changed. */
export function grow(field: HTMLTextAreaElement | undefined): void {
  if (known || !field) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight}px`;
}
