/** Processor, firmware and thermal files of both boards; one clock for all four cores. */
const bothBoards: Readonly<Record<string, string>> = {
  'class/thermal/thermal_zone0/type': 'cpu-thermal\n',
  'class/thermal/cooling_device0/type': 'cpufreq-cpu0\n',
  'devices/platform/soc/soc:firmware/get_throttled': '0\n',
};

/** Files of /sys as on a Raspberry Pi 4B, written by hand: it has no power sensor. */
export const pi4Tree: Readonly<Record<string, string>> = {
  ...bothBoards,
  'class/thermal/thermal_zone0/temp': '48692\n',
  'devices/system/cpu/cpufreq/policy0/scaling_cur_freq': '1500000\n',
  'devices/system/cpu/cpufreq/policy0/scaling_governor': 'ondemand\n',
  'bus/event_source/devices/armv8_cortex_a72/type': '8\n',
  'class/hwmon/hwmon0/name': 'cpu_thermal\n',
  'class/hwmon/hwmon0/temp1_input': '48692\n',
  'class/hwmon/hwmon1/name': 'rpi_volt\n',
  'class/hwmon/hwmon1/in0_lcrit_alarm': '0\n',
  'class/net/eth0/statistics/rx_bytes': '1000000\n',
  'class/net/eth0/statistics/tx_bytes': '2000000\n',
  'class/net/wlan0/wireless/.keep': '',
  'class/net/wlan0/statistics/rx_bytes': '500000\n',
  'class/net/wlan0/statistics/tx_bytes': '700000\n',
};

/** The same for a Raspberry Pi 5: RP1 has an ADC for voltages and a fan, but no power in hwmon. */
export const pi5Tree: Readonly<Record<string, string>> = {
  ...bothBoards,
  'class/thermal/thermal_zone0/temp': '51300\n',
  'devices/system/cpu/cpufreq/policy0/scaling_cur_freq': '2400000\n',
  'devices/system/cpu/cpufreq/policy0/scaling_governor': 'ondemand\n',
  'bus/event_source/devices/armv8_cortex_a76/type': '8\n',
  'class/hwmon/hwmon0/name': 'cpu_thermal\n',
  'class/hwmon/hwmon0/temp1_input': '51300\n',
  'class/hwmon/hwmon1/name': 'rp1_adc\n',
  'class/hwmon/hwmon1/in1_input': '1496\n',
  'class/hwmon/hwmon1/temp1_input': '53147\n',
  'class/hwmon/hwmon2/name': 'pwmfan\n',
  'class/hwmon/hwmon2/fan1_input': '0\n',
  'class/hwmon/hwmon3/name': 'rpi_volt\n',
  'class/hwmon/hwmon3/in0_lcrit_alarm': '0\n',
};

/** Files of the ina2xx driver, with made-up values for an INA226 with a 10 mΩ shunt behind the 5 V supply. */
export const ina226Tree: Readonly<Record<string, string>> = {
  'class/hwmon/hwmon4/name': 'ina226\n',
  'class/hwmon/hwmon4/in0_input': '6\n',
  'class/hwmon/hwmon4/in1_input': '5102\n',
  'class/hwmon/hwmon4/curr1_input': '612\n',
  'class/hwmon/hwmon4/power1_input': '3125000\n',
  'class/hwmon/hwmon4/shunt_resistor': '10000\n',
  'class/hwmon/hwmon4/update_interval': '140\n',
};

/** /proc/stat with four cores, all numbers in ticks. */
export function procStat(busy: number, idle: number): string {
  const core = (name: string, share: number) => `${name} ${busy / share} 0 0 ${idle / share} 0 0 0 0 0 0\n`;
  return `${core('cpu ', 1)}${[0, 1, 2, 3].map((n) => core(`cpu${n}`, 4)).join('')}intr 0\n`;
}

/** `vcgencmd pmic_read_adc` of a Raspberry Pi 5 under load, as published. */
export const pmicText = ` 3V7_WL_SW_A current(0)=0.00000000A
   3V3_SYS_A current(1)=0.06245952A
   1V8_SYS_A current(2)=0.16102850A
  DDR_VDD2_A current(3)=0.00780744A
  DDR_VDDQ_A current(4)=0.00000000A
   1V1_SYS_A current(5)=0.17566740A
    0V8_SW_A current(6)=0.32791250A
  VDD_CORE_A current(7)=10.87674000A
   3V3_DAC_A current(17)=0.00036630A
   3V3_ADC_A current(18)=0.00042735A
   0V8_AON_A current(16)=0.00579975A
      HDMI_A current(22)=0.01367520A
 3V7_WL_SW_V volt(8)=3.79999600V
   3V3_SYS_V volt(9)=3.30632200V
   1V8_SYS_V volt(10)=1.79828900V
  DDR_VDD2_V volt(11)=1.10292900V
  DDR_VDDQ_V volt(12)=0.60476130V
   1V1_SYS_V volt(13)=1.10439400V
    0V8_SW_V volt(14)=0.80256330V
  VDD_CORE_V volt(15)=0.89745940V
   3V3_DAC_V volt(20)=3.30494200V
   3V3_ADC_V volt(21)=3.30219400V
   0V8_AON_V volt(19)=0.79736190V
      HDMI_V volt(23)=5.07056000V
     EXT5V_V volt(24)=5.06788000V
      BATT_V volt(25)=3.01110800V
`;
