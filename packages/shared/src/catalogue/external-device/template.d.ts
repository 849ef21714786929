/** The text of a file, as bundler and tests import it. */
declare module '*?raw' {
  const text: string;
  export default text;
}
