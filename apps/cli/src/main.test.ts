import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

it('ends as usual if its output is not read to the end, as before head', async () => {
  const program = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'help'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  program.stdout.destroy();
  const [errors, [code]] = await Promise.all([text(program.stderr), once(program, 'exit')]);
  expect(errors).toBe('');
  expect(code).toBe(0);
});
