import { chromium } from '@playwright/test';
const [base, ...paths] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu'] });
for (const [w,h,scheme] of [[1440,900,'light'],[390,844,'dark']]) {
  const ctx = await browser.newContext({ viewport: { width: w, height: h }, colorScheme: scheme });
  const page = await ctx.newPage();
  for (const p of paths) {
    const [path, name] = p.split('@@');
    await page.goto(base + path); await page.waitForTimeout(2500);
    await page.screenshot({ path: `/tmp/lead/shots/${name}-${w}.png`, fullPage: w===1440 });
  }
  await ctx.close();
}
await browser.close();
