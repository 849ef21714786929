/** The other end sent what MQTT does not allow. */
export class MqttProtocolError extends Error {}
