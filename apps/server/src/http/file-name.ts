/** "E-12-tls-or-not.yaml": plain ASCII, so that every system takes it and no header breaks. */
export function fileNameOf(id: string, title: string, ending: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return `${words ? `${id}-${words}` : id}.${ending}`;
}
