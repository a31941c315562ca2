ptf ~
recharge  ~   plain            ~ ~   hill             ~
river     ~   river            ~ ~   level            ~
transmissivity
~   t11              ~ ~   t12              ~ ~   t13              ~ ~   t14              ~
~   t21              ~ ~   t22              ~ ~   t23              ~ ~   t24              ~
~   t31              ~ ~   t32              ~ ~   t33              ~ ~   t34              ~
