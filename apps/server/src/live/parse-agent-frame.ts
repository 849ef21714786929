import { type AgentFrame, agentFrameSchema } from '@mqttlab/shared/messages/agent';
import { resultKeySchema } from '@mqttlab/shared/messages/set-aside';
import type { RawData } from 'ws';
import * as z from 'zod';

/** The frame, or in words what is wrong with it. */
export function parseFrame(data: RawData): AgentFrame | string {
  let json: unknown;
  try {
    json = JSON.parse(data.toString());
  } catch {
    return 'a frame is not JSON';
  }
  const parsed = agentFrameSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `a frame is not valid: ${issue ? `${z.core.toDotPath(issue.path)} ${issue.message}` : 'unknown'}`;
}

const resultFrameSchema = z.object({ type: z.literal('result'), key: resultKeySchema });

/** Of a frame that means to be a result, whatever else is wrong with it. */
export function keyOfResult(data: RawData): string | null {
  try {
    return resultFrameSchema.parse(JSON.parse(data.toString())).key;
  } catch {
    return null;
  }
}
